import CCallgrind
import CacheModel
import CacheSimulation
import CommandLineInterface
import Dispatch
import Processes
import RealTime
import ResultModel
import Synchronization
import Workloads

enum MemoryTask {
  /// A whole cache, for every report.
  case report
  /// `orders ENTITIES`: each eviction order.
  case orders(entities: Int)
  /// `observers`: callbacks.
  case observers
  /// `predict INPUT... [--scenario FILE]`: the simulator's predictions for a scenario or recordings, and the
  /// memory of their caches.
  case predict(inputs: [String], lender: String?)
  /// `designs`: the simulator's predictions for the other cache designs, and the memory of their cores.
  case designs
  /// `policies POLICY,… INPUT... [--scenario FILE]`: the memory of the policies' caches, with typed values.
  case policies(names: [String], inputs: [String], lender: String?)

  case allocator
  /// `operations`: the allocations of each operation.
  case operations
  /// `perform OPERATION COUNT`: this many calls of an operation, measured by callgrind.
  case perform(HotOperation, count: Int)

  private static let largest = 100_000_000

  init(arguments: [String]) throws(MemoryTaskError) {
    func number(_ place: Int, named name: String) throws(MemoryTaskError) -> Int {
      guard place < arguments.count, let value = Int(arguments[place]),
        (1...Self.largest).contains(value)
      else { throw MemoryTaskError(arguments: arguments, wrong: name) }
      return value
    }
    switch arguments.first {
    case nil: self = .report
    case "orders": self = .orders(entities: try number(1, named: "the number of entities"))
    case "observers": self = .observers
    case "predict" where arguments.count > 1:
      let (inputs, lender) = Self.inputs(arguments.dropFirst())
      self = .predict(inputs: inputs, lender: lender)
    case "designs": self = .designs
    case "policies" where arguments.count > 2:
      let (inputs, lender) = Self.inputs(arguments.dropFirst(2))
      self = .policies(
        names: arguments[1].split(separator: ",").map(String.init), inputs: inputs, lender: lender)
    case "allocator": self = .allocator
    case "operations": self = .operations
    case "perform":
      guard arguments.count == 3, let operation = HotOperation(rawValue: arguments[1]) else {
        throw MemoryTaskError(arguments: arguments, wrong: "the operation")
      }
      self = .perform(operation, count: try number(2, named: "how often"))
    default: throw MemoryTaskError(arguments: arguments, wrong: "the task")
    }
  }

  /// Returns the inputs, and the scenario file at the end of the arguments.
  private static func inputs(_ arguments: ArraySlice<String>) -> ([String], lender: String?) {
    arguments.dropLast().last == "--scenario"
      ? (Array(arguments.dropLast(2)), arguments.last) : (Array(arguments), nil)
  }

  /// Performs the task, and returns the text to print.
  func output(counter: () throws -> JemallocCounter) throws -> String {
    if case .perform(let operation, let count) = self {
      return try Waiting.wait { try await Self.perform(operation, count) }
    }
    return try output(counter: try counter())
  }

  private func output(counter: JemallocCounter) throws -> String {
    switch self {
    case .perform: ""
    case .allocator: try counter.version() + "\n"
    case .operations:
      ChildRows.text(try Waiting.wait { try await OperationAllocations().rows(counter: counter) })
    case .report:
      ChildRows.text(
        try MemoryMeasurement().run(counter: counter)
          .rows(scenario: "memory", policy: "lru", seed: 1))
    case .orders(let entities):
      ChildRows.text(try OrderMemory(entities: entities).run(counter: counter))
    case .observers:
      ChildRows.text(
        try Waiting.wait { try await ObserverMemory().run(counter: counter) })
    case .predict(let inputs, let lender):
      ChildRows.text(
        try Prediction(input: PlayedInput(inputs, lender: lender)).run(counter: counter))
    case .designs:
      ChildRows.text(
        try DesignMemory.populations.flatMap { try DesignMemory(entries: $0).run(counter: counter) }
      )
    case .policies(let names, let inputs, let lender):
      ChildRows.text(
        try Self.policies(names, PlayedInput(inputs, lender: lender), counter: counter))
    }
  }
}

extension MemoryTask {
  /// Performs an operation; only the second half is measured, after one-time initializations.
  private static func perform(_ operation: HotOperation, _ count: Int) async throws -> String {
    var ready = try await operation.prepared(2 * count, clock: StandingClock())
    _ = try await ready.perform(count)
    callgrind_region_begin()
    let checksum = try await ready.perform(count)
    callgrind_region_end()
    return (callgrind_region_is_counted() ? "counted" : "not counted") + " \(checksum)\n"
  }

  /// Returns the memory of the policies of an input; `names` are those of a measurement, including handicaps.
  private static func policies(
    _ names: [String], _ input: PlayedInput, counter: JemallocCounter
  ) throws -> [ResultRow] {
    let workload = input.workload(ofRound: 0, seed: nil)
    let memory = PolicyMemory(
      scenario: input.name, workload: workload, sharedLimits: input.sharedLimits)
    return try names.flatMap { name in
      let parts = name.split(separator: "+", maxSplits: 1).map(String.init)
      let contenders = try input.file.contenders([parts[0]])
      guard let composition = input.contender(contenders[0], in: workload).cache.composition else {
        throw MemoryTaskError(arguments: names, wrong: "the policy \(name)")
      }
      let handicap = parts.dropFirst().first.flatMap(ReplayedPolicy.Handicap.init)
      let policy = ReplayedPolicy(name: parts[0], composition: composition)
      return try memory.rows(of: handicap.map(policy.with) ?? policy, counter: counter)
    }
  }
}

struct MemoryTaskError: Error, CustomStringConvertible {
  var arguments: [String]
  var wrong: String

  var description: String {
    "\"\(arguments.joined(separator: " "))\": \(wrong) is missing or wrong; run without arguments, or "
      + "with: orders ENTITIES, observers, predict INPUT..., designs, policies POLICY,POLICY INPUT..., allocator, "
      + "operations, perform OPERATION COUNT"
  }
}

/// Runs asynchronous work in a synchronous process.
enum Waiting {
  /// Blocks the calling thread until the work is complete.
  static func wait<Value: Sendable>(
    for work: @escaping @Sendable () async throws -> Value
  ) throws -> Value {
    let outcome = Outcome<Value>()
    let done = DispatchSemaphore(value: 0)
    Task {
      do {
        let value = try await work()
        outcome.result.withLock { $0 = .success(value) }
      } catch {
        outcome.result.withLock { $0 = .failure(error) }
      }
      done.signal()
    }
    done.wait()
    guard let result = outcome.result.withLock({ $0 }) else {
      preconditionFailure("the work ended without an outcome")
    }
    return try result.get()
  }

  private final class Outcome<Value: Sendable>: Sendable {
    let result = Mutex<Result<Value, any Error>?>(nil)
  }
}
