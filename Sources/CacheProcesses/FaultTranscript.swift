package import CacheSimulation

extension PreparedWorkload {
  /// What a process was told until it broke a rule, as the lines that it was sent: `COMMAND < turns.jsonl`
  /// tells it the same without this program.
  package func transcript(of fault: ShrunkFault) -> [UInt8] {
    var lines = lines
    return fault.turns.reduce(into: lines.hello(fault.launch)) { $0 += lines.line($1) }
  }
}
