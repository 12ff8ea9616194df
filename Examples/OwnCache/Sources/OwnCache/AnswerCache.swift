/// A small cache, as an app might have it: whole answers, the last used last, each fresh for a time.
///
/// It knows nothing of a simulation: time is handed in, and what it keeps is any value.
public struct AnswerCache<Question: Hashable, Answer> {
  private struct Entry {
    var answer: Answer
    var at: Duration
    var use: Int
  }

  private let capacity: Int
  private let timeToLive: Duration
  private var entries: [Question: Entry] = [:]
  /// The questions by their last use, of which there is one each.
  private var questionOfUse: [Int: Question] = [:]
  private var uses = 0
  private var oldest = 1

  /// - Parameters:
  ///   - capacity: how many answers are kept; at least 1.
  ///   - timeToLive: for how long an answer is fresh.
  public init(capacity: Int, timeToLive: Duration) {
    self.capacity = max(1, capacity)
    self.timeToLive = timeToLive
  }

  /// An answer that is fresh; reading it is a use.
  public mutating func fresh(_ question: Question, at now: Duration) -> Answer? {
    guard let entry = entries[question], now - entry.at < timeToLive else { return nil }
    use(question)
    return entry.answer
  }

  /// An answer of any age.
  public func any(_ question: Question) -> Answer? { entries[question]?.answer }

  /// Keeps an answer; beyond the capacity the least recently used one is evicted.
  public mutating func keep(_ answer: Answer, to question: Question, at now: Duration) {
    if let entry = entries[question] { questionOfUse[entry.use] = nil }
    entries[question] = Entry(answer: answer, at: now, use: 0)
    use(question)
    while entries.count > capacity {
      if let question = questionOfUse.removeValue(forKey: oldest) { entries[question] = nil }
      oldest += 1
    }
  }

  private mutating func use(_ question: Question) {
    uses += 1
    if let last = entries[question]?.use { questionOfUse[last] = nil }
    entries[question]?.use = uses
    questionOfUse[uses] = question
  }
}
