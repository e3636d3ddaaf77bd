// What an image says that the program needs of a live MPI; what the program was told stays told over another one.
#include <running_mpi.hpp>

#include <mana/checkpoint/needs.hpp>
#include <mana/object/comm/calls/intercomm.hpp>

#include <cstring>
#include <string>

namespace all_needs_tests {

using namespace mana;
using namespace mana::scripted;

namespace {

const lower::program_needs& needs() {
  checkpoint::note_needs(true);
  return checkpoint::noted_needs;
}

bool has(const lower::program_needs& all, lower::needed_by by, std::uint32_t code) {
  return (all.predefined[static_cast<unsigned>(by)][code / 64] >> code % 64 & 1) != 0;
}

std::uint32_t code_of(MPI_Datatype type) { return name_of(resolve<kind::datatype>(type)); }

std::string text_of(int error_class) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  CHECK(MPI_Error_string(error_class, text, &length) == MPI_SUCCESS);
  CHECK(length == static_cast<int>(std::strlen(text)));
  return text;
}

}  // namespace

TEST_CASE_FIXTURE(running_mpi, "INV-124 a datatype of the program needs what it is made of, until it is freed") {
  CHECK(!has(needs(), lower::needed_by::datatype, code_of(MPI_SHORT)));
  MPI_Datatype inner = MPI_DATATYPE_NULL, outer = MPI_DATATYPE_NULL;
  CHECK(MPI_Type_contiguous(2, MPI_SHORT, &inner) == MPI_SUCCESS);
  CHECK(MPI_Type_contiguous(2, inner, &outer) == MPI_SUCCESS);
  CHECK(MPI_Type_free(&inner) == MPI_SUCCESS);
  CHECK(has(needs(), lower::needed_by::datatype, code_of(MPI_SHORT)));      // the outer one has it still
  CHECK(!has(needs(), lower::needed_by::operation, code_of(MPI_SHORT)));
  CHECK(needs().large_counts == 0);
  CHECK(MPI_Type_free(&outer) == MPI_SUCCESS);
  CHECK(!has(needs(), lower::needed_by::datatype, code_of(MPI_SHORT)));
}

TEST_CASE_FIXTURE(running_mpi, "INV-124 a request needs its datatype and its tag, until it is freed") {
  MPI_Request request = MPI_REQUEST_NULL;
  int data = 0;
  CHECK(MPI_Recv_init(&data, 1, MPI_FLOAT, 2, 4711, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
  CHECK(has(needs(), lower::needed_by::operation, code_of(MPI_FLOAT)));
  CHECK(needs().largest_tag == 4711);
  CHECK(MPI_Request_free(&request) == MPI_SUCCESS);
  CHECK(!has(needs(), lower::needed_by::operation, code_of(MPI_FLOAT)));
  CHECK(needs().largest_tag == 0);
}

TEST_CASE_FIXTURE(running_mpi, "the tag bound is needed once the program has read it") {
  object::world_attributes().tag_ub_was_read = false;
  CHECK(needs().told_tag_bound == 0);
  int *bound = nullptr, found = 0;
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &found) == MPI_SUCCESS);
  REQUIRE(found);
  CHECK(needs().told_tag_bound == *bound);
  checkpoint::note_needs(false);
  CHECK(checkpoint::noted_needs.told_tag_bound == 0);      // MPI does not run
}

TEST_CASE_FIXTURE(running_mpi, "INV-125 hidden tags are no one else's, and valid in each MPI") {
  for (std::uint64_t key = 0; key < 100000; ++key) {
    const int tag = object::hidden_tag(key);
    if (tag <= object::handshake_tag || tag > object::least_tag_bound) FAIL(tag);
  }
}

TEST_CASE_FIXTURE(running_mpi, "the text of an error class stays as it was told") {
  const std::string told = text_of(MPI_ERR_TRUNCATE);
  CHECK(told == "words of the live MPI");
  always<&services::error_text>().does([](int, char* text, int* length) {
    std::strcpy(text, "words of another");
    *length = static_cast<int>(std::strlen(text));
    return int{neutral::success};
  });
  CHECK(text_of(MPI_ERR_TRUNCATE) == told);
  CHECK(text_of(MPI_ERR_INTERN) == "words of another");
}

}  // namespace all_needs_tests
