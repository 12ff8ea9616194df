package import CacheSimulation

extension PreparedWorkload {
  /// What a process was told, as the lines that it was sent: `COMMAND < turns.jsonl` tells it the same
  /// without this program.
  ///
  /// - Parameters:
  ///   - launch: with what it was started.
  ///   - turns: what it was told then.
  ///   - isEnded: whether it is told that it ends.
  /// - Returns: a line for each, with its end.
  package func transcript(
    _ launch: CacheLaunch, _ turns: [CacheTurn], isEnded: Bool
  ) -> [UInt8] {
    var lines = lines
    lines.hasUnknownMembers = launch.hasUnknownMembers
    var bytes = lines.hello(launch)
    for turn in turns { bytes += lines.line(turn) }
    guard isEnded else { return bytes }
    let last = turns.last
    return bytes + lines.end(turn: (last?.number ?? 0) + 1, at: last?.at ?? .zero)
  }
}
