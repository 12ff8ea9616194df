import CacheTestSupport
import Foundation
import StreamingRepository

/// Refreshes a streaming repository at full speed with numbered answers, from a number on, for two accounts.
///
/// It says `taken N` before it asks for the answer of a number, and `written N` when the call has ended; some numbers
/// are logouts. Between them it shows changes that the server never answers.
enum RepositoryStory {
  static func tell(_ arguments: [String]) async throws {
    guard arguments.count == 2, let first = UInt64(arguments[1]) else {
      print("usage: storage-crash-child repository FILE FIRST")
      exit(2)
    }
    let source = NumberedSource()
    let repository = try await StreamingRepository.open(path: arguments[0], sources: [source])
    var number = first
    while true {
      try await repository.logIn(NumberedRow.account(of: number))
      Story.say("taken \(number)")
      if NumberedRow.isLogout(number) {
        try await repository.logOut()
      } else {
        await source.set(number)
        let pending = Task {
          try await repository.change(NumberedRow.self, showing: [.put(.pending)]) { _ in
            try await Task.sleep(for: .seconds(1))
          }
        }
        try await repository.refresh(NumberedRow.self)
        pending.cancel()
      }
      Story.say("written \(number)")
      number += 1
    }
  }
}

/// A server that has the rows of one number.
actor NumberedSource: RepositorySource {
  private var number: UInt64 = 0

  func set(_ number: UInt64) { self.number = number }

  func fetchAll(for account: String) async throws -> [NumberedRow] { NumberedRow.all(of: number) }
}
