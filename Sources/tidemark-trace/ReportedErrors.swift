package import CommandLineInterface
package import TraceReplay

extension TraceError: ReportedError {
  package var failure: CommandFailure { CommandFailure(.input, "\(self)") }
}

extension ConversionError: ReportedError {
  package var failure: CommandFailure { CommandFailure(.input, "\(self)") }
}

extension CapacityError: ReportedError {
  package var failure: CommandFailure { CommandFailure(.input, "\(self)") }
}
