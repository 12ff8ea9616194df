import Foundation

/// A folder of report files that is replaced whole or not at all.
///
/// Everything is written to a folder beside it first; only when all of it is on disk does the new one
/// take the old one's place, so that an error, a full disk or a kill leaves the previous report.
struct ReportFolder {
  private let destination: URL

  /// - Throws: ``CommandFailure`` where no report could ever be written there; asked before the work.
  init(_ path: String) throws(CommandFailure) {
    destination = URL(fileURLWithPath: path)
    let parent = destination.deletingLastPathComponent()
    let manager = FileManager.default
    do {
      try manager.createDirectory(at: parent, withIntermediateDirectories: true)
    } catch {
      throw Self.failure(path, error)
    }
    guard manager.isWritableFile(atPath: parent.path) else {
      throw CommandFailure(
        .output, "\(path): its parent folder is not writable; choose another with --output")
    }
    if let kind = try? manager.attributesOfItem(atPath: destination.path)[.type] as? FileAttributeType,
      kind != .typeDirectory
    {
      throw CommandFailure(
        .output, "\(path): a file of that name is there; choose a folder with --output")
    }
  }

  /// - Throws: ``CommandFailure``; the previous report is then as it was.
  func replace(with files: [(name: String, bytes: [UInt8])]) throws(CommandFailure) {
    let manager = FileManager.default
    let draft = destination.deletingLastPathComponent()
      .appendingPathComponent(".\(destination.lastPathComponent).\(UUID().uuidString)")
    let former = draft.appendingPathExtension("former")
    do {
      try manager.createDirectory(at: draft, withIntermediateDirectories: false)
      for file in files {
        let url = draft.appendingPathComponent(file.name)
        try Data(file.bytes).write(to: url)
        let handle = try FileHandle(forWritingTo: url)
        try handle.synchronize()
        try handle.close()
      }
      if manager.fileExists(atPath: destination.path) {
        try manager.moveItem(at: destination, to: former)
      }
      do {
        try manager.moveItem(at: draft, to: destination)
      } catch {
        if manager.fileExists(atPath: former.path) {
          try manager.moveItem(at: former, to: destination)
        }
        throw error
      }
      try? manager.removeItem(at: former)
    } catch {
      try? manager.removeItem(at: draft)
      throw Self.failure(destination.path, error)
    }
  }

  private static func failure(_ path: String, _ error: any Error) -> CommandFailure {
    let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
    let reason = cause?.localizedDescription ?? error.localizedDescription
    return CommandFailure(
      .output,
      "\(path): \(reason); the previous report, if any, is as it was: make room or choose another "
        + "folder with --output")
  }
}
