/** The words of the package's Greek list that are written with an accent; there they have none. */
export const ACCENTED_GREEK_STOP_WORDS: readonly string[] = `
αλλά αντί από αυτά αυτές αυτή αυτό αυτοί αυτός αυτούς αυτών εάν είμαι είμαστε είναι είσαι είστε
εκείνα εκείνες εκείνη εκείνο εκείνοι εκείνος εκείνους εκείνων ενώ επί ή ίσως κατά μετά όμως όπως όσο ότι
παρά ποια ποιες ποιο ποιοι ποιος ποιους ποιων πού πρός προς πώς τότε
`
  .trim()
  .split(/\s+/);
