import Text

/// A form in which a file is compressed, known by its first bytes; named as the tool that undoes it.
///
/// Sources: RFC 1952; the .xz file format 1.2.1; RFC 8878; bzip2's `compress.c`.
package enum CompressedForm: String {
  case gzip, xz, zstd, bzip2

  /// No form needs more of a file.
  package static let headBytes = 10

  /// `nil` for what none of the tools has written.
  ///
  /// - Parameter head: the first ``headBytes`` of a file, fewer only of a shorter one.
  package init?(head: some Collection<UInt8>) {
    let head = Array(head.prefix(Self.headBytes))
    func begins(_ magic: [UInt8]) -> Bool { head.starts(with: magic) }
    // Of the flags of gzip three are reserved: a trace of numbers that begins so is not yet compressed.
    if begins([0x1F, 0x8B, 0x08]), head.count < 4 || head[3] & 0xE0 == 0 {
      self = .gzip
    } else if begins([0xFD] + "7zXZ\u{0}".utf8) {
      self = .xz
    } else if begins([0x28, 0xB5, 0x2F, 0xFD]) || Self.isSkippableFrame(head) {
      self = .zstd
    } else if begins(Array("BZh".utf8)), Self.bzip2Blocks.contains(Array(head.dropFirst(4))) {
      self = .bzip2
    } else {
      return nil
    }
  }

  /// What follows `BZh` and a digit: the first block, or the end of an empty file.
  private static let bzip2Blocks: [[UInt8]] = [
    [0x31, 0x41, 0x59, 0x26, 0x53, 0x59], [0x17, 0x72, 0x45, 0x38, 0x50, 0x90],
  ]

  /// With which files of zstd begin that several threads have written.
  private static func isSkippableFrame(_ head: [UInt8]) -> Bool {
    head.count > 3 && head[0] & 0xF0 == 0x50 && head[1...3].elementsEqual([0x2A, 0x4D, 0x18])
  }

  /// The usual endings of names.
  private var suffix: String {
    switch self {
    case .gzip: ".gz"
    case .xz: ".xz"
    case .zstd: ".zst"
    case .bzip2: ".bz2"
    }
  }

  /// The name without the ending that tells of one of the forms; `nil` where there is none.
  package static func plainName(of path: String) -> String? {
    [gzip, xz, zstd, bzip2].map(\.suffix).first { path.hasSuffix($0) }
      .map { String(path.dropLast($0.count)) }
  }

  /// Why a file is not read, and what to do.
  ///
  /// - Parameters:
  ///   - path: the file, or `-` for standard input.
  ///   - command: the command that reads it, where it can read standard input instead of the file.
  /// - Returns: the failure.
  package func refusal(of path: String, command: String?) -> CommandFailure {
    let decompress = "\(rawValue) -dc"
    let title = InputFile.title(of: path)
    if path == InputFile.standardInput {
      return CommandFailure(
        .input,
        "\(title): compressed with \(rawValue); decompress it before the pipe: "
          + "… | \(decompress) | tidemark \(command ?? "…") - …")
    }
    let word = ShellWord.quoted(path)
    let remedy =
      if let command {
        "decompress it on the way: \(decompress) \(word) | tidemark \(command) - …"
      } else {
        "decompress it first: \(decompress) \(word) > "
          + ShellWord.quoted(Self.plainName(of: path) ?? "\(path).plain")
      }
    return CommandFailure(.input, "\(title): compressed with \(rawValue); \(remedy)")
  }
}
