import CacheChecking
public import CacheSimulation

/// The cases of `tidemark conform`, over a cache in this process.
///
/// Each is a few turns over one small library for its own cache, and says which answers are
/// right. For a test of one's own cache:
///
/// ```swift
/// @Test(arguments: CacheConformance.cases)
/// func conforms(_ test: CacheConformance.Case) {
///   let result = test.run { OwnCache($0) }
///   #expect(result.verdict != .fail, "\(result)")
/// }
/// ```
public enum CacheConformance {
  /// All cases, in the order in which they ask more and more.
  public static let cases = Conformance.cases(nil).map { Case(test: $0) }

  fileprivate static let conformance = Conformance()

  /// A case with an address that stays, as `gaps/3`.
  public struct Case: Sendable, CustomStringConvertible {
    fileprivate let test: ConformanceCase

    /// The group and the place in it, as `gaps/3`; `Documentation/CacheProtocol.md` lists the groups.
    public var address: String { test.address }
    /// What it is about, in a sentence.
    public var title: String { test.title }
    public var description: String { "\(address): \(title)" }

    /// Puts a cache before the case.
    ///
    /// Takes milliseconds, as far as the case does.
    ///
    /// - Parameter start: begins a cache; the case about repetition begins two.
    /// - Returns: what came of it.
    public func run(
      _ start: (CacheLaunch) throws(CacheFault) -> any CacheUnderTest
    ) -> Result {
      Result(result: CacheConformance.conformance.run(test, start))
    }
  }

  /// What came of a case.
  public struct Result: Sendable, CustomStringConvertible {
    fileprivate let result: ConformanceResult

    public var verdict: Verdict {
      switch result.verdict {
      case .pass: .pass
      case .nonStrict: .nonStrict
      case .fail: .fail
      case .info: .info
      }
    }

    /// The verdict, the input of the cache, and for each finding the right answer and the actual one.
    public var description: String {
      let heading = "\(result.test.address), \(verdict.rawValue): \(result.test.title)"
      let told = result.findings.isEmpty ? [] : ["told: \(result.told)"]
      return ([heading] + told + findings.flatMap(\.lines)).joined(separator: "\n  ")
    }

    /// What a fault asks is asked of lines, which a cache in this process does not write.
    private var findings: [ConformanceResult.Finding] {
      result.findings.map { finding in
        guard let kind = result.fault?.kind, finding.meaning == kind.question else {
          return finding
        }
        var finding = finding
        finding.meaning = kind.remedy
        return finding
      }
    }
  }

  /// The raw value is the word in reports.
  public enum Verdict: String, Sendable, CaseIterable {
    case pass
    /// Allowed, and poorer than it could be: the case says in which habit.
    case nonStrict = "non-strict"
    case fail
    /// A figure, not judged; or the cache does not take part in what the case is about.
    case info
  }
}
