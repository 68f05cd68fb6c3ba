package inkling.spark;

import java.util.ArrayList;
import java.util.List;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;

/** Lists of Java and sequences of Catalyst; the converters of Scala have other names in each of its versions. */
final class Sequences {
    private Sequences() {}

    static <T> List<T> listOf(Seq<T> sequence) {
        List<T> list = new ArrayList<>(sequence.size());
        for (int i = 0; i < sequence.size(); i++) {
            list.add(sequence.apply(i));
        }
        return list;
    }

    @SuppressWarnings("unchecked") // the empty list is one of anything
    static <T> Seq<T> seqOf(List<? extends T> list) {
        scala.collection.immutable.List<T> sequence = (scala.collection.immutable.List<T>) (Object) Nil$.MODULE$;
        for (int i = list.size(); i-- > 0; ) {
            sequence = sequence.$colon$colon(list.get(i));
        }
        return sequence;
    }
}
