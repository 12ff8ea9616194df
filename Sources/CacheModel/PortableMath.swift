/// Logarithm and exponential computed with + − × ÷ alone, so that all machines agree to the last bit; the C
/// library's versions differ between platforms.
public enum PortableMath {
  /// Returns the natural logarithm of a positive, finite, normal number; relative error below 1e-14.
  public static func log(_ x: Double) -> Double {
    precondition(x > 0 && x.isFinite, "the logarithm of \(x) is not a number")
    var mantissa = x.significand
    var exponent = Double(x.exponent)
    if mantissa > 1.414_213_562_373_095_1 {
      mantissa /= 2
      exponent += 1
    }
    // log(m) = 2 · artanh((m − 1) / (m + 1)); |t| ≤ 0.1716, so t²⁰ is below one unit in the last place.
    let t = (mantissa - 1) / (mantissa + 1)
    let square = t * t
    var sum = 0.0
    var term = 23.0
    while term > 0 {
      sum = sum * square + 1 / term
      term -= 2
    }
    return exponent * 0.693_147_180_559_945_3 + 2 * t * sum
  }

  /// Returns e to the power of `x`; zero below −745, infinite above 709.
  public static func exp(_ x: Double) -> Double {
    if x > 709 { return .infinity }
    if x < -745 { return 0 }
    let scale = (x / 0.693_147_180_559_945_3).rounded()
    // The two halves of ln 2 keep the reduced argument exact.
    let reduced = (x - scale * 0.693_145_751_953_125) - scale * 1.428_606_820_309_417_2e-6
    var sum = 1.0
    var divisor = 18.0
    while divisor > 0 {
      sum = 1 + reduced / divisor * sum
      divisor -= 1
    }
    return Double(sign: .plus, exponent: Int(scale), significand: sum)
  }

  /// Returns `base` to the power of `exponent`, for a positive base.
  public static func pow(_ base: Double, _ exponent: Double) -> Double {
    exp(exponent * log(base))
  }
}
