import CacheFiles
import CacheModel
import CacheSimulation

extension FileName {
  /// Names the file of a simulated query or entity: distinct, and spread like a digest.
  ///
  /// Apps name files by SHA-256, which no simulation needs.
  init(_ target: CacheReply.Target) {
    let (label, number): (StaticString, UInt64) =
      switch target {
      case .query(let query): ("query", UInt64(query))
      case .object(let object): ("object", UInt64(object))
      }
    var source = RandomSource(seed: number).substream(label)
    var words = (0..<3).map { _ in source.next() }
    // What tells two numbers apart, of one kind, whatever was drawn.
    words.append(number)
    self.init(
      digest: words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } })
  }
}
