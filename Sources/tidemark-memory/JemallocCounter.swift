import RealTime

#if Harness
  import CJemalloc
  import CJemallocConfiguration

  struct JemallocCounter: AllocationCounter {
    /// Checks that the statistics are those of this process, and exact.
    init() throws {
      guard try Self.value(of: "opt.tcache", as: false) == false else {
        throw JemallocError.wrongOption("tcache:false")
      }
      guard try Self.value(of: "opt.narenas", as: UInt32(0)) == 1 else {
        throw JemallocError.wrongOption("narenas:1")
      }
      let probe = 1 << 20
      let before = try read().allocated
      let block = UnsafeMutableRawPointer.allocate(byteCount: probe, alignment: 16)
      defer { block.deallocate() }
      // The optimizer removes an unused allocation.
      block.storeBytes(of: 1, as: UInt8.self)
      let moved = try withExtendedLifetime(block) { try read().allocated - before }
      guard moved >= probe else {
        throw JemallocError.notServing(moved: moved, requested: probe)
      }
    }

    func read() throws -> AllocationReading {
      // Writing the epoch updates the snapshot of statistics.
      var epoch: UInt64 = 1
      let code = mallctl("epoch", nil, nil, &epoch, MemoryLayout<UInt64>.size)
      guard code == 0 else { throw JemallocError.noAnswer(name: "epoch", code: code) }
      return AllocationReading(
        allocated: try Self.value(of: "stats.allocated", as: 0),
        active: try Self.value(of: "stats.active", as: 0),
        allocations: try Int(
          Self.value(of: "stats.arenas.0.small.nmalloc", as: UInt64(0))
            + Self.value(of: "stats.arenas.0.large.nmalloc", as: UInt64(0))))
    }

    func version() throws -> String {
      guard let name = try Self.value(of: "version", as: UnsafePointer<CChar>(bitPattern: 0)) else {
        throw JemallocError.noAnswer(name: "version", code: 0)
      }
      return String(cString: name)
    }

    private static func value<Value: BitwiseCopyable>(
      of name: String, as initial: Value
    ) throws -> Value {
      var value = initial
      var size = MemoryLayout<Value>.size
      let code = mallctl(name, &value, &size, nil, 0)
      guard code == 0 else { throw JemallocError.noAnswer(name: name, code: code) }
      return value
    }
  }
#else
  /// A replacement without jemalloc: it always throws.
  struct JemallocCounter: AllocationCounter {
    init() throws { throw JemallocError.notLinked }

    func read() throws -> AllocationReading { throw JemallocError.notLinked }

    func version() throws -> String { throw JemallocError.notLinked }
  }
#endif

/// The reason why memory cannot be measured.
enum JemallocError: Error, CustomStringConvertible {
  case notLinked
  case notServing(moved: Int, requested: Int)
  case wrongOption(String)
  case noAnswer(name: String, code: Int32)

  var description: String {
    switch self {
    case .notLinked:
      "built without jemalloc, so nothing can be counted; install it, then build with the package "
        + "trait Harness, as `make release` does"
    case .notServing(let moved, let requested):
      "jemalloc is linked but does not serve malloc: \(requested) bytes were allocated and its count "
        + "moved by \(moved); is another allocator preloaded?"
    case .wrongOption(let option):
      "jemalloc runs without \(option), so its counts are not exact; unset MALLOC_CONF"
    case .noAnswer(let name, let code):
      "jemalloc does not answer \(name) (error \(code)); it may be built without statistics"
    }
  }
}
