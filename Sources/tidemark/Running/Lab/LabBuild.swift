import CommandLineInterface
import Foundation

/// The build of the lab, which `make bench` has begun beside the simulations.
struct LabBuild {
  /// Where its exit status will be written.
  var endFile: String

  /// - Throws: ``CommandFailure`` where the build has failed.
  func wait(progress: ProgressLine) async throws {
    while FileKind.of(endFile) == nil {
      progress.report("waiting for the build of the lab")
      try await Task.sleep(for: .milliseconds(200))
    }
    let status = String(decoding: try InputFile.read(endFile, limit: 64), as: UTF8.self)
    guard status.trimmingCharacters(in: .whitespacesAndNewlines) == "0" else {
      throw CommandFailure(.data, "the lab does not build, so nothing is measured; see: make lab")
    }
  }
}
