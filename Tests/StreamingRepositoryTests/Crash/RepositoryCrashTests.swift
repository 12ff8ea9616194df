import CacheModel
import CacheTestSupport
import Foundation
import GRDB
import StreamingRepository
import Testing

/// Child processes write numbered answers at full speed and are killed, again and again, on one file.
@Suite("Processes with a streaming repository that are killed", .startsProcesses)
struct RepositoryCrashTests {
  static let kills = Trials.count(10, of: 200)

  private struct NoServer: RepositorySource {
    func fetchAll(for account: String) async throws -> [NumberedRow] {
      throw RepositoryError.offline
    }
  }

  @Test("S2 S6 S9 S13 After SIGKILL each account has one whole answer, and acknowledged changes")
  func killed() async throws {
    let folder = try CacheFolder()
    let path = folder.url.appendingPathComponent("repository.sqlite").path
    var random = RandomSource(seed: 18)
    var first: UInt64 = 1
    /// By account: the number that its rows may have at least.
    var acknowledged: [UInt64?] = [nil, nil]
    for kill in 0..<Self.kills {
      let child = try CrashChild(["repository", path, "\(first)"])
      // Some die while they open the file.
      let told = child.kill(afterWritten: random.below(16), share: random.unit())
      try #require(told.failure == nil, "kill \(kill): \(told.failure ?? "")")
      for number in told.written { acknowledged[Int(number % 2)] = number }
      // The last line may have been cut off.
      let end = (told.taken.last ?? first) + 1
      for account in acknowledged.indices {
        acknowledged[account] = try await check(
          path, UInt64(account), from: acknowledged[account], before: end, "kill \(kill)")
      }
      #expect(folder.files.allSatisfy { !$0.contains("damaged") })
      first = end + 1
    }
    #expect(first > 16, "no account was logged out")
  }

  /// Opens the file as the next process would, and compares the rows of an account with the story.
  ///
  /// - Returns: the number of its answer; `nil`: none.
  private func check(
    _ path: String, _ account: UInt64, from least: UInt64?, before end: UInt64, _ comment: String
  ) async throws -> UInt64? {
    let repository = try await StreamingRepository.open(path: path, sources: [NoServer()])
    #expect(repository.keptAside == nil, "\(comment)")
    try await repository.logIn(NumberedRow.account(of: account))
    let rows = try await repository.rows(of: NumberedRow.self) { $0.order(Column("id")) }
    guard let number = rows.first?.number else {
      // Nothing yet, or a logout that was acknowledged, or was under way.
      if let least, !NumberedRow.isLogout(least) {
        #expect((least + 1..<end + 1).contains { $0 % 2 == account && NumberedRow.isLogout($0) })
      }
      return least.map { NumberedRow.isLogout($0) ? $0 : nil } ?? nil
    }
    #expect(rows == NumberedRow.all(of: number), "\(comment): \(number) is not whole")
    #expect(number % 2 == account && number >= least ?? 0 && number <= end, "\(comment)")
    return number
  }
}
