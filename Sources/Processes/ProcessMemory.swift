import FoundationEssentials

#if canImport(Glibc)
  import Glibc
#endif

/// What the system says of memory, that of this process above all; Linux only.
package enum ProcessMemory {
  /// Makes the peak begin again.
  ///
  /// - Returns: the bytes in physical memory now; `nil` where the system has no such switch.
  package static func resetPeak() -> Int? {
    do {
      try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    } catch {
      return nil
    }
    return bytes(of: "VmRSS", in: contents(of: "/proc/self/status"))
  }

  /// The bytes in physical memory now, without pages that the allocator could give back, and has; `nil`
  /// where the system does not say.
  package static func resident() -> Int? {
    returnFreePages()
    return bytes(of: "VmRSS", in: contents(of: "/proc/self/status"))
  }

  /// glibc has an arena for each of some threads and keeps what was free in it: the more threads a peak
  /// happened to meet, the more the process seems to hold.
  private static func returnFreePages() {
    #if canImport(Glibc)
      // Swift's module of the C library has no <malloc.h>.
      guard let symbol = dlsym(nil, "malloc_trim") else { return }
      _ = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)(0)
    #endif
  }

  /// The most bytes in physical memory since the start, or since ``resetPeak()``.
  package static func peak() -> Int? {
    bytes(of: "VmHWM", in: contents(of: "/proc/self/status"))
  }

  /// The bytes that could be had without swapping; all that the machine has where the system does not
  /// say.
  package static var available: Int {
    let all = Int(clamping: ProcessInfo.processInfo.physicalMemory)
    return min(all, bytes(of: "MemAvailable", in: contents(of: "/proc/meminfo")) ?? all)
  }

  /// The value of a line `name: 123 kB`.
  static func bytes(of name: String, in text: String?) -> Int? {
    guard let line = text?.split(separator: "\n").first(where: { $0.hasPrefix("\(name):") }) else {
      return nil
    }
    let fields = line.split(whereSeparator: \.isWhitespace)
    guard fields.count == 3, fields[2] == "kB", let value = Int(fields[1]) else { return nil }
    return value * 1024
  }

  private static func contents(of path: String) -> String? {
    (try? Data(contentsOf: URL(fileURLWithPath: path))).map { String(decoding: $0, as: UTF8.self) }
  }
}
