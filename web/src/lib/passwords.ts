/** Passwords that are typed twice. */

export function refuseDifferent(password: string, again: string): void {
  if (password !== again) throw new Error("The two passwords differ. Type the same password twice.");
}
