/** A tone says how good or bad a state is; states with different words share it. */
export type Tone = 'good' | 'bad' | 'warning' | 'busy' | 'quiet'
