/// How much one event carries; every class has distributions of its own.
package enum EventClass: String, Hashable, Sendable, CaseIterable {
  case single
  case batch1000 = "batch-1000"

  package var entities: Int {
    switch self {
    case .single: 1
    case .batch1000: 1_000
    }
  }
}
