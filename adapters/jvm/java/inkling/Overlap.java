package inkling;

/**
 * What two sets have in common. The first six are numbers of distinct keys, the last three are shares, 0 to 1.
 *
 * @param a distinct keys of the first set
 * @param b distinct keys of the second set
 * @param union distinct keys of both together
 * @param intersection distinct keys that are in both
 * @param onlyA distinct keys of the first set alone
 * @param onlyB distinct keys of the second set alone
 * @param jaccard the share of the union that is in both
 * @param aInB the share of the first set that is in the second
 * @param bInA the share of the second set that is in the first
 * @param method "sampled", or "inclusion-exclusion", whose errors are those of the union
 */
public record Overlap(
        Answer a,
        Answer b,
        Answer union,
        Answer intersection,
        Answer onlyA,
        Answer onlyB,
        Answer jaccard,
        Answer aInB,
        Answer bInA,
        String method) {
    static Overlap of(double[] numbers, String method) {
        Answer[] all = Answer.all(numbers);
        return new Overlap(all[0], all[1], all[2], all[3], all[4], all[5], all[6], all[7], all[8], method);
    }
}
