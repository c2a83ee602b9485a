/** Yields the items asynchronously. */
export async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
