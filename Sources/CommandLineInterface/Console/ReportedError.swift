import CacheModel
import CacheSimulation
import NormalizedCacheCore
import Reporting
import Text
import Workloads

/// An error of a library, with the status and the words that a command ends with.
///
/// An executable adds the conformances of the errors that only it meets.
package protocol ReportedError: Error {
  var failure: CommandFailure { get }
}

extension CommandFailure: ReportedError {
  package var failure: CommandFailure { self }
}

extension ScenarioError: ReportedError {
  package var failure: CommandFailure { CommandFailure(.input, "\(self)") }
}

extension QuantityError: ReportedError {
  package var failure: CommandFailure { CommandFailure(.input, "\(self)") }
}

extension CachePolicyError: ReportedError {
  package var failure: CommandFailure { CommandFailure(.input, "\(self)") }
}

extension DivergenceError: ReportedError {
  package var failure: CommandFailure { CommandFailure(.data, "\(self)") }
}

extension StorageError: ReportedError {
  package var failure: CommandFailure { CommandFailure(.data, "storage: \(self)") }
}

extension ExportError: ReportedError {
  package var failure: CommandFailure { CommandFailure(.fault, "\(self)") }
}
