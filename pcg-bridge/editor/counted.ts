// Numbers with their noun in messages.

/** “1 node”, “2 nodes”; nouns whose plural is regular. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
