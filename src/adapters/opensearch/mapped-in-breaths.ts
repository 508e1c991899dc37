/** Items between two breaths. */
const TOGETHER = 100;

/** What `map` makes of each item in turn, while what else the process has to do goes on. */
export async function mappedInBreaths<Item, Made>(
  items: readonly Item[],
  map: (item: Item, i: number) => Made,
): Promise<readonly Made[]> {
  const made: Made[] = [];
  for (const [i, item] of items.entries()) {
    if (i % TOGETHER === 0) await new Promise((resolve) => setImmediate(resolve));
    made.push(map(item, i));
  }
  return made;
}
