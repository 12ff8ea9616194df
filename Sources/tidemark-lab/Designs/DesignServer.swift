import CacheFiles
import Foundation
import LocalHTTPServer
import ResponseCache
import StreamingRepository
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// A local server that answers after the latency of a link, and with errors on request.
final class DesignServer: Sendable {
  private let server: LocalHTTPServer
  private let resources: ServedResources
  private let transport = URLSessionTransport()

  init(latency: Duration) async throws {
    let resources = ServedResources()
    self.resources = resources
    server = try await LocalHTTPServer { request in
      var answer = resources.answer(to: request)
      answer.delay = latency
      return answer
    }
  }

  func close() async throws { try await server.close() }

  func url(_ path: String) throws -> URL { try DesignPlan.url(server.address, path) }

  /// Adds a body at a path.
  func serve(_ body: Data, at path: String, maximumAge: Int = 3_600, etag: String? = nil) {
    resources[path] = ServedResources.Resource(body, maximumAge: maximumAge, etag: etag)
  }

  /// Lets every request fail with a status, or none.
  func fail(with status: Int?) {
    guard let status else { return resources.answer(nil) }
    resources.answer { _ in LocalHTTPServer.Answer(status: status) }
  }

  func body(at path: String) async throws -> Data {
    try await transport.send(HTTPCall(try url(path))).body
  }
}

/// A server's collection in memory, which changes on request.
final class ItemSource: RepositorySource {
  private let items: Mutex<[Item]>

  init(items: [Item]) { self.items = Mutex(items) }

  /// The size of all rows' texts and numbers.
  var payload: Int {
    items.withLock { items in
      items.reduce(0) {
        $0 + $1.id.utf8.count + $1.title.utf8.count + $1.target.utf8.count
          + MemoryLayout<Int64>.size
      }
    }
  }

  /// Changes each row whose index is a multiple of `step`.
  func change(every step: Int) {
    items.withLock { items in
      for index in stride(from: 0, to: items.count, by: step) { items[index].clicks += 1 }
    }
  }

  /// Removes each row whose index is a multiple of `step`.
  func remove(every step: Int) {
    items.withLock { items in
      items = items.enumerated().filter { !$0.offset.isMultiple(of: step) }.map(\.element)
    }
  }

  func fetchAll(for account: String) async throws -> [Item] { items.withLock { $0 } }
}

/// The system's figures for files and writes.
enum Disk {
  /// The number of bytes that this process has written; `nil`: unknown.
  static var bytesWritten: Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8) else {
      return nil
    }
    let line = text.split(separator: "\n").first { $0.hasPrefix("wchar: ") }
    return line.flatMap { Int($0.dropFirst("wchar: ".count)) }
  }

  /// Returns the number of bytes written since an earlier count.
  static func bytesWritten(since before: Int?) -> Int? {
    guard let before, let now = bytesWritten else { return nil }
    return now - before
  }

  /// Returns the disk space of a folder's files, in whole blocks, and their number.
  static func usage(of folder: URL) throws -> (bytes: Int, files: Int) {
    var (bytes, files) = (0, 0)
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      var status = stat()
      guard stat("\(folder.path)/\(path)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        continue
      }
      // POSIX does not specify the unit; Linux and Darwin have 512 bytes.
      bytes += Int(status.st_blocks) * 512
      files += 1
    }
    return (bytes, files)
  }

  /// Waits until the previous cache of a folder has been released.
  ///
  /// - Throws: ``StillInUse`` after ten seconds.
  static func waitUntilFree(_ folder: URL) async throws {
    for _ in 0..<10_000 {
      if try FileFolder(path: folder.path).lock() != nil { return }
      try await Task.sleep(for: .milliseconds(1))
    }
    throw StillInUse(folder: folder.path)
  }

  struct StillInUse: Error, CustomStringConvertible {
    var folder: String
    var description: String { "\(folder): still in use by the cache before; a fault of its own" }
  }
}
