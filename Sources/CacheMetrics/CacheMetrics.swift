public import CoreMetrics
public import NormalizedCache
import Synchronization

/// Reports what a cache does to an app's metrics system.
///
/// ```swift
/// let cache = try NormalizedCache(
///   composition: policy, schema: schema, source: server, instrument: CacheMetrics())
/// ```
///
/// | metric | kind | dimensions |
/// | --- | --- | --- |
/// | `cache_reads` | counter | `method`, `outcome` |
/// | `cache_fetches` | counter | `method`, `result`: `answered`, `not-modified`, `failed` |
/// | `cache_fetch_duration` | timer | `method` |
/// | `cache_fetched_bytes` | counter, by the schema's weights | `method` |
/// | `cache_evictions` | counter, entities | |
/// | `cache_gaps` | counter | |
///
/// `method` is the app's name of a method, or its number; reads of single entities have the method `entity`. The
/// handlers of a metrics system are made once for each combination, and are called on the cache's actor: they
/// should return within microseconds.
public final class CacheMetrics: CacheInstrument {
  private let prefix: String
  private let methods: [QueryMethod: String]
  private let factory: any MetricsFactory
  private let handlers = Mutex(Handlers())

  private struct Handlers {
    var counters: [Name: Counter] = [:]
    var timers: [Name: CoreMetrics.Timer] = [:]
  }

  private struct Name: Hashable {
    var label: String
    var method: QueryMethod?
    var detail = ""
  }

  /// Makes an instrument.
  ///
  /// - Parameters:
  ///   - prefix: the beginning of each label.
  ///   - methods: the app's names of its methods.
  ///   - factory: the metrics system; `nil`: the process's own (`MetricsSystem.bootstrap`).
  public init(
    prefix: String = "cache", methods: [QueryMethod: String] = [:],
    factory: (any MetricsFactory)? = nil
  ) {
    self.prefix = prefix
    self.methods = methods
    self.factory = factory ?? MetricsSystem.factory
  }

  public func didRead(_ read: InstrumentedRead) {
    counter("reads", read.target, "outcome", read.outcome.word).increment()
  }

  public func didFetch(_ fetch: InstrumentedFetch) {
    let result =
      fetch.error != nil ? "failed" : fetch.isNotModified ? "not-modified" : "answered"
    counter("fetches", fetch.target, "result", result).increment()
    timer("fetch_duration", fetch.target).recordNanoseconds(fetch.duration.wholeNanoseconds)
    if fetch.bytes > 0 {
      counter("fetched_bytes", fetch.target).increment(by: Int64(fetch.bytes))
    }
  }

  public func didEvict(entities: Int) {
    counter("evictions").increment(by: Int64(entities))
  }

  public func didDetect(gaps: Int) {
    counter("gaps").increment(by: Int64(gaps))
  }

  // MARK: Handlers

  private func dimensions(
    _ target: FetchTarget?, _ detail: (String, String)?
  ) -> [(String, String)] {
    var dimensions: [(String, String)] = []
    switch target {
    case .query(let key)?:
      dimensions.append(("method", methods[key.method] ?? "\(key.method.rawValue)"))
    case .entity?: dimensions.append(("method", "entity"))
    case nil: break
    }
    if let detail { dimensions.append(detail) }
    return dimensions
  }

  private func name(_ label: String, _ target: FetchTarget?, _ detail: String) -> Name {
    if case .query(let key)? = target {
      return Name(label: label, method: key.method, detail: detail)
    }
    return Name(label: label, method: nil, detail: detail)
  }

  private func counter(
    _ label: String, _ target: FetchTarget? = nil, _ dimension: String = "", _ value: String = ""
  ) -> Counter {
    let name = name(label, target, value)
    return handlers.withLock { handlers in
      if let known = handlers.counters[name] { return known }
      let detail = value.isEmpty ? nil : (dimension, value)
      let counter = Counter(
        label: "\(prefix)_\(label)", dimensions: dimensions(target, detail), factory: factory)
      handlers.counters[name] = counter
      return counter
    }
  }

  private func timer(_ label: String, _ target: FetchTarget) -> CoreMetrics.Timer {
    let name = name(label, target, "")
    return handlers.withLock { handlers in
      if let known = handlers.timers[name] { return known }
      let timer = CoreMetrics.Timer(
        label: "\(prefix)_\(label)", dimensions: dimensions(target, nil), factory: factory)
      handlers.timers[name] = timer
      return timer
    }
  }
}
