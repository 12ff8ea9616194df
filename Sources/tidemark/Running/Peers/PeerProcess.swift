import Measurement

/// Runs one round of a peer in a process of its own, and reads its samples.
struct PeerProcess {
  var arguments: [String]

  /// Longer than any round may take: its phases end by themselves.
  private static let deadline = Duration.seconds(300)
  /// For removing its files, once its input has ended.
  private static let patience = Duration.seconds(2)

  /// - Throws: ``CommandFailure`` where the process fails, with what it said, or did not hand over its
  ///   samples whole.
  func run() async throws -> DesignSamples {
    var run = ProcessRun(arguments: arguments, deadline: Self.deadline)
    run.patience = Self.patience
    do {
      return try DesignSamples(text: try await run.output())
    } catch let error where error is ProcessRunError || error is ChildTextError {
      throw CommandFailure(.data, "\(arguments.joined(separator: " ")): \(error)")
    }
  }
}
