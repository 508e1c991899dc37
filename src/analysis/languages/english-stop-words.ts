/**
 * The Snowball project's English stopword list: contractions as written there, but for those with 's, which
 * analysis holds to be their first word.
 */
export const ENGLISH_STOP_WORDS: readonly string[] = `
i me my myself we our ours ourselves you your yours yourself yourselves
he him his himself she her hers herself it its itself they them their theirs themselves
what which who whom this that these those
am is are was were be been being have has had having do does did doing would should could ought
i'm you're we're they're i've you've we've they've i'd you'd he'd she'd we'd they'd
i'll you'll he'll she'll we'll they'll
isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't
won't wouldn't shan't shouldn't can't cannot couldn't mustn't
a an the and but if or because as until while
of at by for with about against between into through during before after above below to from up down in out
on off over under again further then once here there when where why how
all any both each few more most other some such no nor not only own same so than too very
`
  .trim()
  .split(/\s+/);
