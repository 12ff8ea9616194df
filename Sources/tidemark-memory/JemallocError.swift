/// Why nothing can be counted.
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
