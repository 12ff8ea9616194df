package import CacheSimulation
package import Workloads

/// A cache to be started: what results call it, and the command of a shell that runs it.
package struct CacheCommand: Sendable {
  package var name: String
  package var command: String
  package var limits = CacheLimits()
  /// Where its turns are counted; `nil`: nowhere.
  package var pace: TurnPace?
  /// What all its processes have to say of themselves alike.
  private var firstHello = FirstHello()

  package init(name: String, command: String) {
    self.name = name
    self.command = command
  }

  /// - Parameter text: `name=COMMAND` or `name@given=COMMAND`; `nil` comes where there is no name of letters,
  ///   digits, `-`, `_` and `.`, or no command.
  package init?(_ text: String) {
    guard let equals = text.firstIndex(of: "=") else { return nil }
    name = String(text[..<equals])
    command = String(text[text.index(after: equals)...])
    let plain = ListMembership.plainName(ofCache: name)
    let isName = plain.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "-_.".utf8.contains(byte)
      }
    }
    guard isName, !plain.isEmpty, !command.allSatisfy(\.isWhitespace) else { return nil }
  }
}

/// Where policies go, a command can go too: what it does with what it is told is not known.
extension CacheCommand: BlackBoxCache {
  package var content: [ScenarioContent.Value] { [.init(path: "command", text: command)] }
  package var isDeterministic: Bool { false }
  package var predictsMemory: Bool { false }

  /// Puts a value in the place of each `{option}` of the command, which a shell then takes apart; `${option}` is
  /// the shell's own.
  package func setting(_ option: String, to value: String) -> (any BlackBoxCache)? {
    var filled = ""
    var rest = command[...]
    var isFound = false
    while let place = rest.firstRange(of: "{\(option)}") {
      let isOfShell = rest[..<place.lowerBound].last == "$"
      filled += rest[..<(isOfShell ? place.upperBound : place.lowerBound)]
      if !isOfShell {
        filled += value
        isFound = true
      }
      rest = rest[place.upperBound...]
    }
    guard isFound else { return nil }
    var set = self
    set.command = filled + rest
    set.firstHello = FirstHello()
    return set
  }

  package func maker(for workload: Workload) -> Maker {
    let prepared = PreparedWorkload(workload)
    return { launch throws(CacheFault) in
      let cache = try ProcessCache(self, for: prepared, launch, limits: limits, pace: pace)
      do throws(CacheFault) {
        try firstHello.check(claim: cache.claim ?? "", features: cache.features)
      } catch {
        cache.end()
        throw error
      }
      return cache
    }
  }
}
