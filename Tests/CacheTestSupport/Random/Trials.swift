import Foundation

/// How often a test tries at random.
///
/// Few times beside all the others; as often as its promise says where `make check-long` asks for it
/// (`TIDEMARK_TRIALS=all`).
package enum Trials {
  private static let areAll = ProcessInfo.processInfo.environment["TIDEMARK_TRIALS"] == "all"

  package static func count(_ few: Int, of all: Int) -> Int { areAll ? all : few }
}
