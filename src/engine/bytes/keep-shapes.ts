const kept: object[] = [];

/**
 * Keeps examples of objects for as long as the thread lives, so that V8 keeps what it has compiled for all that are
 * made like them. Compiled code names the hidden classes of the objects that it works on, and is thrown away when a
 * collection of garbage finds no object of one of them alive. What is made anew for each body or segment has none
 * alive between two of these: of 1,500 functions that were compiled in a load, 1,000 were thrown away again (ADR 25).
 *
 * @param examples small ones, with members of the kinds that they always have
 */
export function keepShapes(...examples: readonly object[]): void {
  kept.push(...examples);
}
