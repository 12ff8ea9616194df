import Foundation

/// A process of this machine, as `/proc` has it.
package struct RunningProcess: Hashable, Sendable {
  package var number: Int32
  /// Its command line.
  package var words: [String]

  /// Whether this machine says which processes run.
  package static let areListed = FileManager.default.isReadableFile(atPath: "/proc/self/environ")

  /// The processes that bear a mark: in their command lines, or in the environment that they were started with,
  /// which a process hands on to all that it starts.
  ///
  /// Those that have ended bear none, whether or not somebody has waited for them.
  package static func all(with mark: String) throws -> [RunningProcess] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { name in
      guard let number = Int32(name) else { return nil }
      let words = texts(of: "/proc/\(name)/cmdline")
      guard (words + texts(of: "/proc/\(name)/environ")).contains(where: { $0.contains(mark) })
      else { return nil }
      return RunningProcess(number: number, words: words)
    }
  }

  /// Empty where the process has ended meanwhile, or is another user's.
  private static func texts(of file: String) -> [String] {
    String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
      .split(separator: "\u{0}").map(String.init)
  }
}
