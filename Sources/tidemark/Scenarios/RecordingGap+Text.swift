import CacheModel
import CommandLineInterface
import RecordingCodec
import Reporting
import Workloads

extension RecordingGap {
  /// What a person is told of what a recording lacks; `nil` where it lacks nothing.
  static func text(of gaps: [RecordingGap]) -> String? {
    guard let first = gaps.first else { return nil }
    let causes = Cause.allCases.compactMap { cause -> String? in
      let lines = gaps.filter { $0.cause == cause }.reduce(0) { $0 + $1.lines }
      return lines == 0 ? nil : "\(HumanNumber.count(Double(lines))) \(cause.text)"
    }
    let seconds = HumanNumber.count(Double(first.at.nanoseconds / 1_000_000_000))
    return "the recording lacks lines from \(seconds) s on: \(causes.joined(separator: ", ")); "
      + "figures of what follows may not be the app's"
  }
}

extension RecordingGap.Cause {
  fileprivate var text: String {
    switch self {
    case .buffer: "for want of room while the disk was slow"
    case .file: "since the file could not be written"
    case .format: "for which the format has no place"
    }
  }
}
