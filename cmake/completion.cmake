# SPDX-License-Identifier: BSD-3-Clause
# While a tool is installed: writes what bash completes after its name. `tool`, `script` and `folder` are given.
if(EXISTS "${tool}")
    cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" OUTPUT_VARIABLE place)
    cmake_path(GET tool FILENAME name)
    file(MAKE_DIRECTORY "$ENV{DESTDIR}${place}")
    execute_process(COMMAND "${script}" "${tool}" "$ENV{DESTDIR}${place}/${name}" RESULT_VARIABLE status)
    if(status EQUAL 0)
        list(APPEND CMAKE_INSTALL_MANIFEST_FILES "${place}/${name}")
        message(STATUS "Installing: $ENV{DESTDIR}${place}/${name}")
    else()    # a tool for another machine does not run here
        message(WARNING "${name} is installed without completion: its --help failed (${status})")
    endif()
endif()
