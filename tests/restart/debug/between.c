// A library between two functions of a program.
void through_the_library(void (*then)(int), int argument);

static volatile int passed;

__attribute__((noinline)) void through_the_library(void (*then)(int), int argument) {
  then(argument);
  ++passed;
}
