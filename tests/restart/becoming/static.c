// Statically linked: becomes what its words say, if there are any.
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc > 1) execv(argv[1], argv + 1);
  puts("static");
  return 0;
}
