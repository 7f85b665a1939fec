# SPDX-License-Identifier: BSD-3-Clause
# While a tool is installed: writes what bash completes after its name. `tool`, `script` and `folder` are given.
if(EXISTS "${tool}")
    set(place "${CMAKE_INSTALL_PREFIX}/${folder}")
    cmake_path(GET tool FILENAME name)
    file(MAKE_DIRECTORY "$ENV{DESTDIR}${place}")
    execute_process(COMMAND "${script}" "${tool}" "$ENV{DESTDIR}${place}/${name}" COMMAND_ERROR_IS_FATAL ANY)
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES "${place}/${name}")
    message(STATUS "Installing: $ENV{DESTDIR}${place}/${name}")
endif()
