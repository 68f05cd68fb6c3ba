package inkling;

/**
 * A number with its bounds: the true value lies in [low, high] with this confidence, 1 if it is certain.
 *
 * @param estimate the number
 * @param low the lower bound
 * @param high the upper bound
 * @param confidence the chance that the true value is within the bounds
 * @param saturated whether the sketch is full, so that the true value may be far above the estimate
 */
public record Answer(double estimate, double low, double high, double confidence, boolean saturated) {
    /** How many numbers of C an answer is. */
    static final int NUMBERS = 5;

    /** Answer number {@code index} of those that C gave. */
    static Answer of(double[] numbers, int index) {
        int at = index * NUMBERS;
        return new Answer(
                numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3], numbers[at + 4] != 0);
    }

    static Answer[] all(double[] numbers) {
        Answer[] answers = new Answer[numbers.length / NUMBERS];
        for (int i = 0; i < answers.length; i++) {
            answers[i] = of(numbers, i);
        }
        return answers;
    }

    /**
     * The estimate as a whole number.
     *
     * @return the nearest one
     */
    public long rounded() {
        return Math.round(estimate);
    }
}
