// Keeps a run inside its bounds of memory: asked before every allocation that a graph decides the size of.
import { counted } from '../../editor/counted.ts'

export class BudgetError extends Error {}

export type Budget = ReturnType<typeof createBudget>

const ALIVE = 4

export function createBudget(maxPoints: number) {
  let alive = 0
  return {
    /** Refuses a data of more points than one data may have. */
    take(points: number): void {
      if (!(points <= maxPoints))
        throw new BudgetError(
          `It would make ${counted(Math.round(points), 'point')}; the limit is ${maxPoints}. Sample fewer points or a smaller volume.`,
        )
    },
    /** Keeps count of points that stay alive between nodes. */
    hold(points: number): void {
      alive += points
      if (alive > maxPoints * ALIVE)
        throw new BudgetError(
          `The graph holds ${counted(alive, 'point')} at one time; the limit is ${maxPoints * ALIVE}. Sample fewer points.`,
        )
    },
    release(points: number): void {
      alive -= points
    },
  }
}
