/// What the process tells its caller; `tidemark --help` lists the same.
package enum ExitStatus: Int32 {
  /// `gate`: regressed, or a target was missed; `check`, `soak`: a promise is broken;
  /// `memory`: a prediction is wrong; `diff`: reads differ; `conform`: a case fails.
  case failed = 1
  /// The command line or an input file is wrong.
  case input = 2
  /// The baseline is missing or does not fit.
  case baseline = 3
  /// Data are missing, invalid or inconclusive.
  case data = 4
  /// Output could not be written.
  case output = 5
  /// A fault of tidemark itself.
  case fault = 70
}

/// Why a command ends early: what the user reads, and what the caller's script sees.
package struct CommandFailure: Error {
  package var status: ExitStatus
  /// One line for each problem (place, cause, remedy); empty where the result said it all.
  package var message: String

  package init(_ status: ExitStatus, _ message: String = "") {
    self.status = status
    self.message = message
  }
}
