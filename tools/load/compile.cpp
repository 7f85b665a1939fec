// SPDX-License-Identifier: BSD-3-Clause
#include "compile.hpp"

#include "inherit.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

namespace load {
namespace {

namespace coll = collectives;
namespace fs = std::filesystem;

std::string variable_of(char const* name) {
    auto const* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

[[noreturn]] void fail(fs::path const& what) {
    throw std::system_error(errno, std::generic_category(), what.string());
}

/// $CXX, which may have options in it, else the system's.
std::vector<std::string> compiler() {
    std::istringstream given(variable_of("CXX"));
    std::vector<std::string> words(std::istream_iterator<std::string>(given), {});
    if (!words.empty()) { return words; }
    for (auto const* const name : {"c++", "g++"}) {
        std::istringstream folders(variable_of("PATH"));
        for (std::string folder; std::getline(folders, folder, ':');) {
            if (::access((fs::path(folder) / name).c_str(), X_OK) == 0) { return {name}; }
        }
    }
    throw std::runtime_error("there is no compiler c++ or g++; $CXX may name another");
}

/// The folder of the library's headers: as $COLLECTIVES_INCLUDE says, where they are installed
/// beside this tool, or in the tree that it was built from.
fs::path headers() {
    if (auto const given = variable_of("COLLECTIVES_INCLUDE"); !given.empty()) { return given; }
    std::error_code ignored;
    auto const here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    auto const installed = (here / COLLECTIVES_INCLUDE_FROM_TOOLS).lexically_normal();
    for (auto const& folder : {installed, fs::path(COLLECTIVES_INCLUDE_OF_TREE)}) {
        if (fs::exists(folder / "collectives/schedule/any_algorithm.hpp")) { return folder; }
    }
    throw std::runtime_error(
        fmt::format("the library's headers are not in {} or {}; $COLLECTIVES_INCLUDE may name "
                    "their folder",
                    installed.string(), COLLECTIVES_INCLUDE_OF_TREE));
}

/// Code is loaded from there, so nobody else may write to it.
fs::path cache() {
    fs::path base = variable_of("XDG_CACHE_HOME");
    if (!base.is_absolute()) { base = fs::path(variable_of("HOME")) / ".cache"; }
    if (!base.is_absolute()) {
        throw std::runtime_error(
            "no folder for what is compiled: neither $XDG_CACHE_HOME nor "
            "$HOME is an absolute path");
    }
    fs::create_directories(base);
    auto const folder = base / "collectives";
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) { fail(folder); }
    struct stat is {};
    if (::stat(folder.c_str(), &is) != 0) { fail(folder); }
    if (is.st_uid != ::geteuid() || (is.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        throw std::runtime_error("others may write to " + folder.string());
    }
    return folder;
}

/// A folder of this process's own, removed with the object.
class private_folder {
public:
    explicit private_folder(fs::path const& parent) : path_((parent / "making-XXXXXX").string()) {
        if (::mkdtemp(path_.data()) == nullptr) { fail(path_); }
    }
    private_folder(private_folder const&) = delete;
    private_folder& operator=(private_folder const&) = delete;
    ~private_folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    fs::path operator/(char const* name) const { return fs::path(path_) / name; }

private:
    std::string path_;
};

/// Held by one process at a time, for as long as the object lives.
class file_lock {
public:
    explicit file_lock(fs::path const& file)
        : descriptor_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
        if (descriptor_ < 0) { fail(file); }
        int status = 0;
        do { status = ::flock(descriptor_, LOCK_EX); } while (status != 0 && errno == EINTR);
        if (status == 0) { return; }
        auto const why = std::exchange(errno, 0);
        ::close(descriptor_);
        errno = why;
        fail(file);
    }
    file_lock(file_lock const&) = delete;
    file_lock& operator=(file_lock const&) = delete;
    ~file_lock() { ::close(descriptor_); }

private:
    int descriptor_;
};

/// Runs the compiler on this input; it writes to stderr itself. `hint` follows "refuses it".
void compile(std::vector<std::string> const& command, fs::path const& input,
             std::string const& hint = {}) {
    std::vector<char*> words;
    for (auto const& w : command) { words.push_back(const_cast<char*>(w.c_str())); }
    words.push_back(nullptr);
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, input.c_str(), O_RDONLY, 0);
    pid_t child = 0;
    auto const fault = ::posix_spawnp(&child, words[0], &files, nullptr, words.data(), environ);
    ::posix_spawn_file_actions_destroy(&files);
    if (fault != 0) {
        throw std::runtime_error(fmt::format("cannot run the compiler {}: {}", command[0],
                                             std::generic_category().message(fault)));
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) { fail(command[0]); }
    }
    if (status != 0) { throw std::runtime_error(command[0] + " refuses it" + hint); }
}

/// What is compiled after the header. Tool and shared object hand these types to each other, so
/// both must mean the same by them: the headers may be others than the tool was built with.
std::string source_of(std::string const& type) {
    std::string text = fmt::format(
        "#include <collectives/schedule/any_algorithm.hpp>\n"
        "namespace collectives_loading {{\n"
        "char const* const compiler = __VERSION__;\n"
        "static_assert(collectives::algorithm<{0}>, \"{0} models no collectives::algorithm\");\n"
        "template <class A> void hand_over(collectives::any_algorithm* to) {{\n"
        "    if constexpr (collectives::algorithm<A>) {{ *to = A{{}}; }}\n"
        "}}\n}}\n"
        "extern \"C\" [[gnu::visibility(\"default\")]]\n"
        "void {1}(collectives::any_algorithm* to) {{ collectives_loading::hand_over<{0}>(to); }}\n",
        type, entry);
    std::array<std::pair<char const*, std::size_t>, 6> const sizes{
        {{"any_algorithm", sizeof(coll::any_algorithm)},
         {"proof", sizeof(coll::proof)},
         {"detail::algorithm_table", sizeof(coll::detail::algorithm_table)},
         {"detail::part", sizeof(coll::detail::part)},
         {"detail::recorder", sizeof(coll::detail::recorder)},
         {"detail::step_collector", sizeof(coll::detail::step_collector)}}};
    for (auto const& [name, size] : sizes) {
        text += fmt::format(
            "static_assert(sizeof(collectives::{}) == {}, \"these headers of the library are not "
            "those that the tool was built with\");\n",
            name, size);
    }
#ifdef __GLIBCXX__
    text += "#ifndef __GLIBCXX__\n#error the tool was built with libstdc++\n#endif\n";
#endif
    return text;
}

std::string contents_of(fs::path const& file) {
    std::ifstream in(file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in) { throw std::runtime_error("cannot read " + file.string()); }
    return text;
}

std::vector<std::string> joined(std::vector<std::string> words,
                                std::vector<std::string> const& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

}  // namespace

std::string shared_object_of(algorithm_header const& of) {
    auto const folder = cache();
    private_folder const own(folder);
    auto const source = own / "source.cpp", text = own / "text.ii", made = own / "made.so";
    if (!(std::ofstream(source) << source_of(of.type) << std::flush)) {
        throw std::runtime_error("cannot write " + source.string());
    }
    auto const base = joined(compiler(), {"-std=c++20"});
    compile(joined(base, {"-I" + headers().string(), "-include", of.file.string(), "-E", "-o",
                          text.string(), "-x", "c++", "-"}),
            source);
    // From here on the text is what has been read, even if somebody edits the header now.
    auto const flags = joined(base, {"-O1", "-fPIC", "-fvisibility=hidden", "-shared"});
    auto key = contents_of(text);
    for (auto const& flag : flags) { key += '\0' + flag; }
    auto const object = folder / fmt::format("{}-{:016x}.so", of.file.stem().string(),
                                             std::hash<std::string>{}(key));
    if (fs::exists(object)) { return object.string(); }
    file_lock const alone(folder / "lock");
    if (fs::exists(object)) { return object.string(); }
    compile(
        joined(flags, {"-x", "c++-cpp-output", "-o", made.string(), "-"}), text,
        fmt::format("; if its algorithm is not called {}, name it with --load FILE:TYPE", of.type));
    fs::rename(made, object);
    return object.string();
}

}  // namespace load
