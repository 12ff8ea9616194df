package import CommandLineInterface
package import Processes
package import RealTime

extension AlternativeRunError: ReportedError {
  package var failure: CommandFailure { CommandFailure(.data, "\(self)") }
}

extension WrongAnswer: ReportedError {
  package var failure: CommandFailure { CommandFailure(.data, "designs: \(self)") }
}

extension Disk.StillInUse: ReportedError {
  package var failure: CommandFailure { CommandFailure(.data, "designs: \(self)") }
}

extension MeasurementError: ReportedError {
  package var failure: CommandFailure { CommandFailure(.data, "latency: \(self)") }
}

extension MemoryRunError: ReportedError {
  package var failure: CommandFailure { CommandFailure(.data, "memory: \(self)") }
}

extension PipelineError: ReportedError {
  package var failure: CommandFailure {
    // That was asked for; the others happened.
    CommandFailure(self == .keepsNothing ? .input : .data, "pipeline: \(self)")
  }
}

extension SyncProtocolError: ReportedError {
  package var failure: CommandFailure { CommandFailure(.data, "pipeline: \(self)") }
}
