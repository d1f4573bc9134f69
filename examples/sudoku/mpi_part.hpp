/// @file
/// @brief This process's part of work that `mpirun -np K` shares out among K processes, on one machine or several.
///
/// The library knows no MPI: a program asks MPI for two numbers and hands them on. Compiled without MPI it refuses to be
/// started by mpirun, where each process would do the whole work, unless each is told its part.
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>

namespace sudoku {

/// Process `part` of `parts`.
struct work_part {
  std::size_t part = 0;
  std::size_t parts = 1;
};

/// Whether MPI was there when the program was built: the Meson option `mpi`.
bool built_with_mpi();

/// Whether a launcher of MPI processes (mpirun, mpiexec, srun) started this one. Only the environment is looked at, so that the
/// program is its usual self where none did.
bool started_by_mpirun();

/// Calls `work` with this process's rank and the number of processes, then waits for the others. An exception ends the
/// processes all together: `log` is told its message and the rank, and the exit code is 2 for lacuna::invalid_argument, 1 for
/// any other. Once in a process. Throws lacuna::invalid_argument if the program was built without MPI.
void run_with_mpi(const std::function<void(work_part)>& work, std::ostream& log);

}  // namespace sudoku
