// The findings of `mana doctor`: one for each thing that could keep a program from running here.
#pragma once
#include <runtime/tools/mpi/launcher.hpp>
#include <runtime/tools/options/commands.hpp>
#include <runtime/tools/text/failure.hpp>

#include <string>
#include <vector>

namespace mana::tools {

inline constexpr int doctor_schema = 1;   // raised when a member of the JSON changes its meaning or is removed

enum class verdict { ok, warning, will_not_work };

struct finding {
  std::string check;     // a name for programs: "kernel", "libraries"
  verdict how = verdict::ok;
  std::string text;      // one line
  std::string remedy;    // one line, may be empty
};
using findings = std::vector<finding>;

/// The error of `mana run` as a finding.
finding as_finding(const std::string& check, const failure& refused);

findings examine_machine(const std::string& checkpoint_directory);
findings examine_program(const doctor_command& wanted, const environment& get);

/// Of the live MPI that this program would run over. in: linked  what the program's libraries say of its MPI
finding examine_mpi(const doctor_command& wanted, const linked_mpi& linked, const environment& get);

/// One for each live MPI that this installation knows.
findings examine_live_mpis();

bool works(const findings& all);
/// One line per finding.
std::string as_text(const findings& all);
std::string as_json(const findings& all, const std::vector<std::string>& command);

}  // namespace mana::tools
