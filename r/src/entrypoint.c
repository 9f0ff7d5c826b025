// Keeps the native part from being thrown out by the linker: R looks for this name.
void R_init_cokernel_extendr(void *info);

void R_init_cokernel(void *info) {
  R_init_cokernel_extendr(info);
}
