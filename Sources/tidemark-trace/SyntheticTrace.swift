import CacheModel
import CommandLineInterface
import Workloads

/// Traces of independent requests whose keys are popular by Zipf's law.
enum SyntheticTrace {
  /// Draws a trace and writes it as big-endian integers of 32 bits; the same seed draws the same on
  /// every machine.
  ///
  /// - Parameters:
  ///   - requests: how many.
  ///   - keys: how many keys there are to ask for; not all need appear.
  ///   - exponent: above 0; the greater, the more unequal.
  ///   - seed: of the draws.
  ///   - path: of a file that is replaced.
  /// - Throws: ``CommandFailure`` where it cannot be written.
  /// - Complexity: O(requests + keys).
  static func writeZipf(
    requests: Int, keys: Int, exponent: Double, seed: UInt64, to path: String
  ) throws {
    let zipf = Zipf(count: keys, exponent: exponent)
    var random = RandomSource(seed: seed).substream("synthetic-trace")
    let piece = 1 << 20
    do {
      try FileWriter.replace(path) { write in
        for start in stride(from: 0, to: requests, by: piece) {
          var bytes: [UInt8] = []
          bytes.reserveCapacity(4 * piece)
          for _ in start..<min(requests, start + piece) {
            withUnsafeBytes(of: UInt32(zipf.sample(&random)).bigEndian) {
              bytes.append(contentsOf: $0)
            }
          }
          try write(bytes)
        }
      }
    } catch {
      throw CommandFailure(.output, "\(path): \(error)")
    }
  }
}
