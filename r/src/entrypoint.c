/* R looks for this name; the functions are registered by Rust's macros (src/rust/src/lib.rs). */
#include <R_ext/Rdynload.h>

void R_init_consilience_extendr(DllInfo *dll);

void R_init_consilience(DllInfo *dll) { R_init_consilience_extendr(dll); }
