/** What a state is like, whatever its word. */
export type Tone = 'good' | 'bad' | 'warning' | 'busy' | 'quiet'
