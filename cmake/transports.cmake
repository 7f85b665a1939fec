# SPDX-License-Identifier: BSD-3-Clause
# The optional transports: a target for each that is wanted and whose package is there.

if(COLLECTIVES_WITH_MPI)
    find_package(MPI QUIET COMPONENTS CXX)
endif()
if(COLLECTIVES_WITH_MPI AND TARGET MPI::MPI_CXX)
    add_library(collectives_mpi INTERFACE)
    add_library(collectives::mpi ALIAS collectives_mpi)
    target_link_libraries(collectives_mpi INTERFACE collectives MPI::MPI_CXX)
    target_compile_definitions(collectives_mpi INTERFACE    # not the old C++ interface, which warns
        OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
else()
    collectives_left_out(MPI mpi "MPI was not found")
endif()

# ---- meeting over a network: what proves a secret; and UCX, whose ranks meet so

if(COLLECTIVES_WITH_MEET)
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND)
        pkg_check_modules(libsodium QUIET IMPORTED_TARGET GLOBAL libsodium)
        if(COLLECTIVES_WITH_UCX)
            pkg_check_modules(ucx QUIET IMPORTED_TARGET GLOBAL ucx)
        endif()
    endif()
endif()
if(COLLECTIVES_WITH_MEET AND TARGET PkgConfig::libsodium)
    add_library(collectives_meet INTERFACE)
    add_library(collectives::meet ALIAS collectives_meet)
    target_link_libraries(collectives_meet INTERFACE collectives PkgConfig::libsodium)
else()
    collectives_left_out(MEET meet "libsodium was not found by pkg-config")
endif()
if(COLLECTIVES_WITH_UCX AND TARGET collectives::meet AND TARGET PkgConfig::ucx)
    add_library(collectives_ucx INTERFACE)
    add_library(collectives::ucx ALIAS collectives_ucx)
    target_link_libraries(collectives_ucx INTERFACE collectives_meet PkgConfig::ucx)
elseif(COLLECTIVES_WITH_UCX AND NOT TARGET collectives::meet)
    collectives_left_out(UCX ucx "it needs collectives::meet, which is left out")
else()
    collectives_left_out(UCX ucx "UCX was not found by pkg-config")
endif()

# ---- CUDA devices: its runtime alone; the driver is looked for when a program runs

if(COLLECTIVES_WITH_CUDA)
    find_package(CUDAToolkit 12.8 QUIET)
endif()
if(COLLECTIVES_WITH_CUDA AND TARGET CUDA::cudart_static)
    add_library(collectives_cuda INTERFACE)
    add_library(collectives::cuda ALIAS collectives_cuda)
    target_link_libraries(collectives_cuda INTERFACE collectives CUDA::cudart_static)
    target_compile_options(collectives_cuda INTERFACE
        "$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;-std=c++20>")
else()
    collectives_left_out(CUDA cuda "the CUDA toolkit (12.8 or newer) was not found")
endif()
