import CacheChecking
public import CacheSimulation

/// The cases of `tidemark conform`, for a cache in this process.
///
/// Each case is a few turns with a small library and a new cache, and defines which answers are right. Use it
/// to test your own cache:
/// ```swift
/// @Test(arguments: CacheConformance.cases)
/// func conforms(_ test: CacheConformance.Case) {
///   let result = test.run { OwnCache($0) }
///   #expect(result.verdict != .fail, "\(result)")
/// }
/// ```
public enum CacheConformance {
  /// All cases, in ascending order of difficulty.
  public static let cases = Conformance.cases(nil).map { Case(test: $0) }

  fileprivate static let conformance = Conformance()

  /// A case with a permanent address, as `gaps/3`.
  public struct Case: Sendable, CustomStringConvertible {
    fileprivate let test: ConformanceCase

    /// The group and the position in it, as `gaps/3`; `Documentation/CacheProtocol.md` lists the groups.
    public var address: String { test.address }
    /// One sentence about the case.
    public var title: String { test.title }
    public var description: String { "\(address): \(title)" }

    /// Runs the case with a cache.
    ///
    /// Takes milliseconds, plus the cache's own time.
    ///
    /// - Parameter start: starts a cache; the case about repetition starts two.
    /// - Returns: the result.
    public func run(
      _ start: (CacheLaunch) throws(CacheFault) -> any CacheUnderTest
    ) -> Result {
      Result(result: CacheConformance.conformance.run(test, start))
    }
  }

  /// The result of a case.
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

    /// Questions about lines do not apply to a cache in this process.
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

  /// The verdict; the raw value is its word in reports.
  public enum Verdict: String, Sendable, CaseIterable {
    case pass
    /// Allowed, but poorer than possible: the case names the habit.
    case nonStrict = "non-strict"
    case fail
    /// A figure, not judged; or the cache lacks the feature that the case is about.
    case info
  }
}
