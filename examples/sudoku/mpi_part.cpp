#include "mpi_part.hpp"

#ifdef EXAMPLE_MPI
#include <mpi.h>
#endif

#include <cstdlib>
#include <exception>
#include <ostream>
#include <string>

#include "lacuna/core/errors.hpp"

namespace sudoku {

bool built_with_mpi() {
#ifdef EXAMPLE_MPI
  return true;
#else
  return false;
#endif
}

bool started_by_mpirun() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"})  // Open MPI; MPICH and its kin; Slurm and others
    if (std::getenv(name) != nullptr) return true;
  return false;
}

#ifdef EXAMPLE_MPI

void run_with_mpi(const std::function<void(work_part)>& work, std::ostream& log) {
  int given = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);  // the network's threads make no calls
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  // Left to unwind, this process would wait for the others to finish before its message is seen.
  const auto end_all = [&](const std::string& what, int code) {
    log << "sudoku: rank " + std::to_string(rank) + " of " + std::to_string(size) + ": " + what + '\n' << std::flush;
    MPI_Abort(MPI_COMM_WORLD, code);
    std::_Exit(code);  // MPI_Abort is not bound to end this process at once
  };
  try {
    work({static_cast<std::size_t>(rank), static_cast<std::size_t>(size)});
  } catch (const lacuna::invalid_argument& e) {
    end_all(e.what(), 2);
  } catch (const std::exception& e) {
    end_all(e.what(), 1);
  } catch (...) {
    end_all("an exception of no known kind", 1);
  }
  MPI_Finalize();
}

#else

void run_with_mpi(const std::function<void(work_part)>& /*work*/, std::ostream& /*log*/) {
  throw lacuna::invalid_argument(
      "started by mpirun but built without MPI, expected a build with -Dmpi=enabled, or a --part of its own for each process");
}

#endif

}  // namespace sudoku
