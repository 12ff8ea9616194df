/// The version of the row schema: columns, metric meanings and class names together.
public enum ResultSchema {
  /// Raised whenever an old row no longer means what it says; a gate refuses a baseline of another
  /// version.
  public static let version = 3
}
