# The engine for browsers: the rooms it needs, without threads, SQLite, files or a command line, as one WebAssembly
# module behind one C function (src/browser/module.cpp).

# Debian's header-only libraries, without the rest of /usr/include: its C library is not the one of the module.
set(ARMATURE_WASM_HEADERS ${CMAKE_BINARY_DIR}/headers)
foreach(library eigen3/Eigen fmt nlohmann)
  get_filename_component(name ${library} NAME)
  if(NOT EXISTS /usr/include/${library})
    message(FATAL_ERROR "No /usr/include/${library}: scripts/install-deps build wasm installs it")
  endif()
  file(MAKE_DIRECTORY ${ARMATURE_WASM_HEADERS})
  file(CREATE_LINK /usr/include/${library} ${ARMATURE_WASM_HEADERS}/${name} SYMBOLIC)
endforeach()

sources_of_rooms(ARMATURE_WASM_SOURCES base linear theory model graph families policies simulate lab options browser)
# Files, cores and memory are those of src/browser; programs there are none.
list(REMOVE_ITEM ARMATURE_WASM_SOURCES ${ARMATURE_LAB_BASE} ${CMAKE_SOURCE_DIR}/src/base/file.cpp
                                       ${CMAKE_SOURCE_DIR}/src/base/program.cpp ${CMAKE_SOURCE_DIR}/src/graph/drawn_by_dot.cpp
                                       ${CMAKE_SOURCE_DIR}/src/simulate/conformance.cpp)
# What no answer to a page reaches: it would be compiled for nothing, and dropped by the linker.
foreach(source base/gamma base/sha256 policies/decision_book policies/policy_session theory/explain theory/policy_bound)
  list(REMOVE_ITEM ARMATURE_WASM_SOURCES ${CMAKE_SOURCE_DIR}/src/${source}.cpp)
endforeach()
# Of figures and reports what answers are made of.
foreach(source figures/looks report/policy_looks report/catalogue report/results_json report/theory_answers)
  list(APPEND ARMATURE_WASM_SOURCES ${CMAKE_SOURCE_DIR}/src/${source}.cpp)
endforeach()

add_executable(armature_wasm ${ARMATURE_WASM_SOURCES})
set_target_properties(armature_wasm PROPERTIES OUTPUT_NAME engine)
target_include_directories(armature_wasm PRIVATE include src)
target_include_directories(armature_wasm SYSTEM PRIVATE ${ARMATURE_WASM_HEADERS})
# fmt without locales, which nobody asks for, and without the floats and long doubles that no room has (it would print
# nothing for them).
target_compile_definitions(armature_wasm PRIVATE ${ARMATURE_EIGEN_DEFINITIONS} ARMATURE_VERSION="${PROJECT_VERSION}"
  FMT_HEADER_ONLY=1 FMT_STATIC_THOUSANDS_SEPARATOR=',' FMT_USE_FLOAT=0 FMT_USE_LONG_DOUBLE=0)
target_link_libraries(armature_wasm PRIVATE armature_flags)
# Optimised as a whole, without the virtual functions that no page calls (what policies explain, save and learn from others).
target_compile_options(armature_wasm PRIVATE -fwasm-exceptions -msimd128
  -flto -fwhole-program-vtables -fvirtual-function-elimination -include ${CMAKE_SOURCE_DIR}/src/browser/missing_standard.h)
set_source_files_properties(src/base/beta_draws.cpp PROPERTIES COMPILE_OPTIONS "-fno-math-errno;-fno-trapping-math")
# What plays rounds is compiled for speed, what reads, plans, judges and writes for size. The loops over
# rounds are compiled in the registry, which makes a policy of every class.
set(ARMATURE_WASM_HOT "/src/(simulate/|policies/[a-z]+/|policies/registry|linear/inverse_factor|model/environment|base/(random|outcome_draws|\
beta|kl|normals|discrete|mathematics|whole_sums|saddle_point|reaching))")
foreach(source ${ARMATURE_WASM_SOURCES})
  if(source MATCHES "${ARMATURE_WASM_HOT}")
    set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS -O2)
  else()
    set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS -Oz)
  endif()
endforeach()
target_link_options(armature_wasm PRIVATE -fwasm-exceptions -flto -O2 -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=32MB -sMAXIMUM_MEMORY=4GB -sFILESYSTEM=0
  -sMODULARIZE=1 -sEXPORT_NAME=armatureModule -sENVIRONMENT=web,worker,node -sINVOKE_RUN=0
  "-sEXPORTED_FUNCTIONS=['_answer_request','_malloc','_free']" "-sEXPORTED_RUNTIME_METHODS=['UTF8ToString','stringToUTF8','lengthBytesUTF8']")
